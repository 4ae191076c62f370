/** What can be drawn in the cells of a trellis. */
export const INNER_TYPES = [
  "Scatter plot",
  "Histogram",
  "Bar chart",
  "Line chart",
  "Box plot",
  "Pie chart",
  "Density plot",
] as const;
