import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const FORM = `<!doctype html><title>Form</title>
<form id="form" onsubmit="event.preventDefault(); document.title = 'sent ' + name.value + ' ' + color.value">
  <input id="name" name="name" value="">
  <select id="color" name="color"><option value="red">Red</option><option value="blue">Blue</option></select>
  <button id="send">Send</button>
</form>
<p id="over" onmouseover="this.textContent = 'hovered'">nothing</p>`;

/** Pages by their paths. */
const PAGES: Readonly<Record<string, string>> = {
  "/form": FORM,
  "/frames": `<title>Frames</title><iframe src="/inner"></iframe>`,
  "/inner": `<button id="inside" onclick="top.document.title = 'pressed inside'">Inside</button>`,
  "/dialogs": `<title>Dialogs</title><button id="ask" onclick="alert('hello');
    document.title = String(confirm('sure?')) + ' ' + String(prompt('name?'))">Ask</button>`,
  "/leave": `<title>Leave</title><button id="b">b</button><script>addEventListener('beforeunload', (e) => { e.preventDefault(); e.returnValue = ''; });</script>`,
  "/popups": `<title>Popups</title><button id="open" onclick="window.open('/form')">Open</button>`,
  "/flood": `<title>Flood</title><button id="open" onclick="for (let i = 0; i < 400; i += 1) window.open('/inner?' + i)">Open</button>`,
  "/loop": `<title>Loop</title><button id="b">b</button>`,
  "/prices": `<title>Prices</title><button id="pay">Pay 1 dollar</button><script>
    pay.addEventListener('click', () => fetch('/paid'));
    setInterval(async () => { pay.textContent = await (await fetch('/price')).text(); }, 50)</script>`,
  "/huge": `<title>Huge</title><script>const b = document.createElement('div'); document.documentElement.append(b);
    b.innerHTML = '<p>text</p>'.repeat(50000); b.style.height = '5000000px'</script>`,
  "/many": `<title>Many</title>${Array.from({ length: 20 }, (_, index) => `<button id="b${index}">b</button>`).join("")}`,
  "/download": `<title>Download</title><a id="get" href="/file">get</a>`,
};

export interface Site {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** What the button of /prices says. */
  price: string;
}

export async function openSite(redirectTo: () => string = () => "/form"): Promise<Site> {
  const asked: string[] = [];
  const site = { asked, price: "Pay 1 dollar" };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://site").pathname;
    asked.push(path);
    const page = PAGES[path];
    if (page !== undefined) {
      response.writeHead(200, { "content-type": "text/html" }).end(page);
      return;
    }
    switch (path) {
      case "/price":
        response.writeHead(200, { "content-type": "text/plain" }).end(site.price);
        return;
      case "/slow":
        // Never ends: whoever waits for it must stop by itself.
        response.writeHead(200, { "content-type": "text/html" }).write("<title>Slow</title>");
        return;
      case "/redirect":
        response.writeHead(302, { location: redirectTo() }).end();
        return;
      case "/file":
        response
          .writeHead(200, {
            "content-type": "application/octet-stream",
            "content-disposition": `attachment; filename="../../.bashrc"; filename*=UTF-8''..%2F..%2Fevil%2Ftrick.txt`,
          })
          .end("payload");
        return;
      default:
        response.writeHead(404, "Not Found", { "content-type": "text/html" }).end("<title>none</title>");
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(site, { url: `http://localhost:${port}`, port, server });
}
