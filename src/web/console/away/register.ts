/** Registers the service worker once the page is there and has nothing better to do. Without TLS, and not on this machine, browsers have none. */
export function registerWorker(): void {
  if (!("serviceWorker" in navigator)) return;
  const register = (): void => {
    // A browser may refuse it, such as in a private window: the console works without.
    navigator.serviceWorker.register("/sw.js").catch(() => undefined);
  };
  if (document.readyState === "complete") register();
  else globalThis.addEventListener("load", () => setTimeout(register, 0), { once: true });
}
