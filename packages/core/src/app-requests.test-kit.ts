import type { App } from "./index.ts";

/** A reply and its body. */
export interface ReadReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: () => unknown;
}

/** Sends a request to an app and reads the reply. */
export const send = async (app: Pick<App, "fetch">, path: string, init?: RequestInit): Promise<ReadReply> => {
  const reply = await app.fetch(new Request(`http://host.test${path}`, init));
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text, json: () => JSON.parse(text) as unknown };
};

/** Starts an app and collects its log lines instead of writing them. */
export const startQuietly = async (
  app: App,
  env: "development" | "production" = "development",
): Promise<readonly string[]> => {
  const lines: string[] = [];
  const write = (message: string) => void lines.push(message);
  await app.start({ env, log: { info: write, warn: write, error: write } });
  return lines;
};
