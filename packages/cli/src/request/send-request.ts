import { answer, type Deadline, readBody, startDeadline } from "./answer.ts";
import { loadApp } from "../app/load-app.ts";
import { startQuietly } from "../app/start-quietly.ts";
import type { Outcome, RunCommand } from "../frame/command.ts";
import { type Line, styled } from "../frame/text.ts";
import { requestOf } from "./request-of.ts";

/** Bytes of a reply that are printed; a longer one is cut. */
export const MAX_SHOWN_BYTES = 1_048_576;

export const sendRequest: RunCommand = async (given, { cwd, clock }) => {
  const request = await requestOf(given, given.argument("method") ?? "GET", cwd);
  const app = await loadApp(given.text("app"), cwd);
  await startQuietly(app);
  try {
    using deadline = startDeadline(given.number("timeout") ?? 30, clock);
    const reply = await answer(app, request, deadline);
    const shown = await readShown(reply, deadline);
    return outcome(reply, shown, { include: given.flag("include"), fail: given.flag("fail") });
  } finally {
    await app.stop({ timeoutSecs: 1 });
  }
};

interface Shown {
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}

const readShown = async (reply: Response, deadline: Deadline): Promise<Shown> => {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const isWhole = await readBody(reply, deadline, (piece) => {
    pieces.push(piece.subarray(0, MAX_SHOWN_BYTES - length));
    length += piece.byteLength;
    return length <= MAX_SHOWN_BYTES;
  });
  return { bytes: Buffer.concat(pieces), isCut: !isWhole };
};

const outcome = (
  { status, headers }: Response,
  { bytes, isCut }: Shown,
  { include, fail }: { readonly include: boolean; readonly fail: boolean },
): Outcome => {
  const text = decoded(bytes);
  const fields = [...headers].map(([name, value]): Line => [styled("cyan", name), `: ${value}`]);
  const head: readonly Line[] = include
    ? [styled(status < 400 ? "green" : "red", `HTTP ${status}`), ...fields, ""]
    : [];
  const body = text === null ? [styled("dim", `${bytes.byteLength} bytes that are no text`)] : linesOf(text);
  return {
    ok: !fail || status < 400,
    data: {
      status,
      headers: [...headers],
      body: text ?? Buffer.from(bytes).toString("base64"),
      bodyIs: text === null ? "base64" : "text",
      isCut,
    },
    lines: [...head, ...body, ...(isCut ? [styled("yellow", "… the rest is left out")] : [])],
  };
};

const linesOf = (text: string): readonly string[] =>
  text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);

const decoded = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null; // it is no text: binary replies are counted, or printed as base64
  }
};
