import { BASE } from "./styles/base.ts";
import { CHAT } from "./styles/chat.ts";
import { COLOURS } from "./styles/colours.ts";

/** Made from text by a script, not by an element: a page whose policy allows no style elements takes it. */
export function panelStyles(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`${COLOURS}${BASE}${CHAT}`);
  return sheet;
}
