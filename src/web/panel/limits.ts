/** Every bound of the panel. Those of attachments and prompts are not larger than the server's. */
export const PANEL_LIMITS = {
  // one answer
  /** Live text of one message; the completed one has all of it. */
  liveChars: 400_000,
  /** Of a step's input and of its result. */
  stepChars: 4_000,
  /** Words of a step. */
  stepWordsChars: 160,
  /** Pictures of a step's result that are drawn. */
  stepImages: 4,
  /** Of a question's preview: how much is shown at first, and how much each step adds. */
  previewChars: 20_000,
  /** Where the server cuts a diff. */
  diffChars: 1_000_000,
  /** How much of a finished answer a screen reader reads out. */
  announcedChars: 1_000,
  // prompts
  /** How much of a prompt is shown before somebody asks for all of it. */
  bubbleChars: 1_200,
  promptChars: 1_000_000,
  attachments: 20,
  imageBytes: 5_000_000,
  /** All attachments of one prompt together, as they are sent. */
  attachedChars: 20_000_000,
  feedbackChars: 10_000,
  /** How long a new chat waits until the server has the page's tools, before it continues without them. */
  offerMs: 10_000,
  /** How long a reloaded page waits until its former self has released the chat. */
  lockMs: 2_000,
  // history
  kept: 20,
  listed: 10,
  keptChars: 200_000,
  titleChars: 40,
  // moments
  copiedMs: 600,
  thanksMs: 4_000,
  /** Distance from the end of the conversation, px: a reader closer than this follows along. */
  followPx: 48,
} as const;
