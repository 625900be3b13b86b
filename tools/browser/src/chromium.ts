import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { waitFor } from "@framework/testing";
import { connectDevtools, type Devtools } from "./devtools.ts";
import { type Notes, noteEvent, startVisit, type Tab, type Visit } from "./visit.ts";

/** A browser without a window, and with a profile of its own that is deleted with it. */
export interface Chromium extends AsyncDisposable {
  /** Opens a URL in a tab that shares neither cookies nor cache with others; resolves when the page has loaded. */
  visit(url: string): Promise<Visit>;
}

export interface ChromiumOptions {
  /** Names of hosts that lead to 127.0.0.1; every other is unknown. @default [] */
  readonly hosts?: readonly string[];
}

/** Why tests in a browser are to be skipped; `false` where the program that `CHROMIUM` names, or `/usr/bin/chromium`, exists. */
export const noChromium = (): string | false =>
  existsSync(chromiumPath()) ? false : `there is no ${chromiumPath()}; name one in CHROMIUM`;

const chromiumPath = (): string => process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Starts Chromium; every host but `127.0.0.1` and those named is unknown to it. */
export const startChromium = async ({ hosts = [] }: ChromiumOptions = {}): Promise<Chromium> => {
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const child = spawn(chromiumPath(), [...flagsFor(hosts), `--user-data-dir=${profile}`, "about:blank"], {
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL"); // nothing where it has ended
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const address = () => readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n");
    const [port, path] = await Promise.race([
      waitFor(address, { what: "Chromium", timeoutMs: 20_000 }),
      ended.then(([code]) => Promise.reject(new Error(`Chromium ended with ${String(code)}`))),
    ]);
    const devtools = await connectDevtools(`ws://127.0.0.1:${port}${path}`);
    return {
      visit: (url) => openTab(devtools, url),
      async [Symbol.asyncDispose]() {
        // asked to, it ends its own processes first, so that none writes to the profile any more
        devtools.browser.call("Browser.close").catch(() => {}); // it may be gone before it answers
        await Promise.race([ended, setTimeout(5000, null, { ref: false })]);
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

const flagsFor = (hosts: readonly string[]): string[] => [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--mute-audio",
  "--autoplay-policy=no-user-gesture-required",
  "--window-size=1200,1000",
  `--host-resolver-rules=${[...hosts.map((host) => `MAP ${host} 127.0.0.1`), "MAP * ~NOTFOUND", "EXCLUDE 127.0.0.1"].join(", ")}`,
  "--remote-debugging-port=0",
];

const openTab = async ({ browser, session }: Devtools, url: string): Promise<Visit> => {
  const context = await browser.call("Target.createBrowserContext");
  const target = await browser.call("Target.createTarget", { url: "about:blank", ...context });
  const { sessionId } = await browser.call("Target.attachToTarget", { ...target, flatten: true });
  const notes: Notes = { requested: new Map(), complaints: [] };
  let closed: Promise<unknown> | undefined;
  const tab: Tab = {
    session: session(String(sessionId), (event, fields) => noteEvent(notes, event, fields)),
    notes,
    async close() {
      await (closed ??= browser.call("Target.disposeBrowserContext", context));
    },
  };
  return startVisit(tab, url);
};
