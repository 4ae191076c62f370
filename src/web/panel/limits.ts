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
  /** Of a question's preview: what is shown at first, and what is added at a time when all of it is wanted. */
  previewChars: 20_000,
  /** Where the server cuts a diff. */
  diffChars: 1_000_000,
  /** What a screen reader is told of a finished answer. */
  announcedChars: 1_000,
  // prompts
  /** Of a prompt that is shown before somebody asks for all of it. */
  bubbleChars: 1_200,
  promptChars: 1_000_000,
  attachments: 20,
  imageBytes: 5_000_000,
  /** All attachments of one prompt together, as they are sent. */
  attachedChars: 20_000_000,
  feedbackChars: 10_000,
  /** How long a new chat waits until the server has the page's tools, before it goes on without them. */
  offerMs: 10_000,
  /** How long a reloaded page waits until its former self has let go of the chat. */
  lockMs: 2_000,
  // history
  kept: 20,
  listed: 10,
  keptChars: 200_000,
  titleChars: 40,
  // moments
  copiedMs: 600,
  thanksMs: 4_000,
  /** From the end of the conversation, px: who is nearer is taken along. */
  followPx: 48,
} as const;
