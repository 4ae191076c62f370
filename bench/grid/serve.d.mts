export function servePage(entry: string): Promise<{ readonly url: string; readonly stop: () => Promise<void> }>;
