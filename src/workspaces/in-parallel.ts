const AT_ONCE = 16;

/** Does the work for each item, a few at a time. The answers have the items' order. The first failure ends it. */
export async function inParallel<Item, Answer>(
  items: readonly Item[],
  work: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) answers[at] = await work(items[at] as Item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return answers;
}
