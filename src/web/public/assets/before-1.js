// Runs before everything else. The page's policy forbids to make code from text: zod need not try, or the browser would report it.
// Whoever changes this file gives it a new number: browsers keep it for ever.
globalThis.__zod_globalConfig = { jitless: true };
