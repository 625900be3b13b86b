import type { ServiceFacts } from "../src/serve/service-facts.ts";
import type { Call, Message, Outcome } from "../src/messages.ts";

const KEY = "devtools.token";
const RETRY_MS = 1000;

/** Removes the token from the address, and stores it for reloads of this tab. */
const takeToken = (): string => {
  const [, given] = /^#token=([\w-]+)$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", "#requests");
  }
  return sessionStorage.getItem(KEY) ?? "";
};

/** Callbacks of the connection. */
export interface Listener {
  hello(facts: ServiceFacts & { readonly worker: string }): void;
  message(message: Message): void;
  state(text: string, isLive: boolean): void;
}

const token = takeToken();
const authorization = { authorization: `Bearer ${token}` };

/** Receives events of the service while the page is open, and reconnects. */
export const connect = async (listener: Listener): Promise<void> => {
  for (;;) {
    try {
      const reply = await fetch("/live", { headers: authorization });
      if (reply.status === 401)
        return listener.state("Open the link that the service printed: it has the token of this run", false);
      if (!reply.ok || reply.body === null) throw new Error(String(reply.status));
      listener.state("Live", true);
      await readEvents(reply.body, (event, data) => {
        if (event === "hello") listener.hello(data as ServiceFacts & { readonly worker: string });
        else listener.message(data as Message);
      });
    } catch {
      // the service is unavailable, such as during a restart
    }
    listener.state("The service is unavailable; reconnecting", false);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
};

/** Parses server-sent events. */
const readEvents = async (
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onEvent: (event: string, data: unknown) => void,
): Promise<void> => {
  let text = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
    const frames = (text + chunk).split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const lines = frame.split("\n");
      const of = (field: string): string =>
        lines
          .filter((line) => line.startsWith(`${field}: `))
          .map((line) => line.slice(field.length + 2))
          .join("\n");
      const data = of("data");
      if (data !== "") onEvent(of("event"), JSON.parse(data));
    }
  }
};

/** Sends a call to a worker; `null` for any worker. */
export const call = async (request: Call, worker: string | null): Promise<Outcome> => {
  try {
    const reply = await fetch("/call", {
      method: "POST",
      headers: { ...authorization, "content-type": "application/json" },
      body: JSON.stringify({ ...request, worker }),
    });
    const answer = (await reply.json()) as Outcome | { readonly detail?: string };
    return "ok" in answer ? answer : { ok: false, code: "", message: answer.detail ?? reply.statusText };
  } catch {
    return { ok: false, code: "", message: "The service does not respond" };
  }
};
