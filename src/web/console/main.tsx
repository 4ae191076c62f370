import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { registerWorker } from "./away/register.ts";
import { followTheme } from "../ui/app/theme.ts";
import "../ui/styles.css";

// Libraries that add styles while they run look for the page's nonce under this name.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
Object.assign(globalThis, { __webpack_nonce__: nonce });

followTheme();
registerWorker();
const place = document.querySelector("#console");
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
