import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { waitFor } from "@framework/testing";

/** What a page did while it was open. */
export interface Visit {
  /** URLs that it asked for, data URLs and those that its policy stopped left out. */
  requested(): readonly string[];
  /** Errors and warnings of its console, uncaught errors, and reports of its policy. */
  readonly complaints: readonly string[];
  /** Runs an expression in the page, and gives its value. */
  evaluate<T>(expression: string): Promise<T>;
  /** A picture of the page as PNG. */
  screenshot(): Promise<Uint8Array>;
}

/** A browser without a window, and with a profile of its own that is deleted with it. */
export interface Chromium extends AsyncDisposable {
  visit(url: string): Promise<Visit>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** Starts Chromium; every host but `127.0.0.1` is unknown to it. */
export const startChromium = async (executable: string): Promise<Chromium> => {
  const profile = mkdtempSync(join(tmpdir(), "openapi-chromium-"));
  const child = spawn(executable, [...flags, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: "ignore",
  });
  const stop = async (): Promise<void> => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const port = await waitFor(
      () => readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n")[0],
      {
        what: "Chromium",
        timeoutMs: 20_000,
      },
    );
    return { visit: (url) => visit(`http://127.0.0.1:${port}`, url), [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--window-size=1200,1000",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--remote-debugging-port=0",
];

const visit = async (devtools: string, url: string): Promise<Visit> => {
  const target = (await (await fetch(`${devtools}/json/new?about:blank`, { method: "PUT" })).json()) as {
    webSocketDebuggerUrl: string;
  };
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, "open");
  const requested = new Map<string, string>();
  const complaints: string[] = [];
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id === undefined) return note(message, requested, complaints);
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error === undefined) call?.resolve(message.result ?? {});
    else call?.reject(new Error(message.error.message));
  });
  let calls = 0;
  const call = (method: string, params: object = {}): Promise<Record<string, unknown>> => {
    const id = ++calls;
    const reply = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(id, reply);
    socket.send(JSON.stringify({ id, method, params }));
    return reply.promise;
  };
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await call(`${domain}.enable`);
  await call("Page.navigate", { url });
  return {
    requested: () => [...requested.values()],
    complaints,
    async evaluate<T>(expression: string) {
      const { result, exceptionDetails } = await call("Runtime.evaluate", {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
      return (result as { value: T }).value;
    },
    async screenshot() {
      const { data } = await call("Page.captureScreenshot", { format: "png" });
      return Buffer.from(String(data), "base64");
    },
  };
};

const note = (
  { method, params = {} }: Message,
  requested: Map<string, string>,
  complaints: string[],
): void => {
  if (method === "Network.requestWillBeSent") {
    const { url } = params["request"] as { url: string };
    if (!url.startsWith("data:")) requested.set(String(params["requestId"]), url);
  } else if (method === "Network.loadingFailed") {
    if (params["blockedReason"] === "csp") requested.delete(String(params["requestId"]));
  } else if (method === "Runtime.exceptionThrown" || method === "Log.entryAdded") {
    complaints.push(JSON.stringify(params));
  } else if (method === "Runtime.consoleAPICalled" && /error|warning|assert/.test(String(params["type"]))) {
    complaints.push(JSON.stringify(params["args"]));
  }
};
