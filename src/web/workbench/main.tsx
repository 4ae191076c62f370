import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { followTheme } from "../ui/app/theme.ts";
import { App } from "./app/app.tsx";
import { openBench } from "./app/bench.ts";
import "./styles.css";

// Libraries that add styles while they run look for the page's nonce under this name.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
Object.assign(globalThis, { __webpack_nonce__: nonce });

followTheme();
const place = document.querySelector("#workbench");
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <App bench={openBench()} />
    </StrictMode>,
  );
}
