import { fetchReply, type Deadline, readBody, startDeadline } from "./fetch-reply.ts";
import { loadApp } from "../app/load-app.ts";
import { startQuietly } from "../app/start-quietly.ts";
import type { Outcome, RunCommand } from "../frame/command.ts";
import { type Line, styled } from "../frame/text.ts";
import { requestOf } from "./request-of.ts";

/** Maximum number of bytes of a body that are printed; the rest is cut. */
export const MAX_SHOWN_BYTES = 1_048_576;

export const sendRequest: RunCommand = async (given, { cwd, clock, json, input, out, err }) => {
  const method = given.argument("method")?.toUpperCase() ?? "GET";
  const request = await requestOf(given, method, { cwd, input });
  const app = await loadApp(given.text("app"), cwd);
  await startQuietly(app);
  try {
    using deadline = startDeadline(given.number("timeout") ?? 30, clock);
    const reply = await fetchReply(app, request, deadline);
    const shown = await readShownBody(reply, deadline);
    const isExact = !out.isTerminal && (shown.text !== null || out.writeBytes !== null);
    if (isExact && shown.isCut && !json) err.write(`${LEFT_OUT}\n`);
    return outcome(reply, shown, { isExact, include: given.flag("include"), fail: given.flag("fail") });
  } finally {
    await app.stop({ timeoutSecs: 1 });
  }
};

const LEFT_OUT = "… the rest is left out";

interface ShownBody {
  readonly bytes: Uint8Array;
  /** `null` for binary bodies. */
  readonly text: string | null;
  readonly isCut: boolean;
}

const readShownBody = async (reply: Response, deadline: Deadline): Promise<ShownBody> => {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const isWhole = await readBody(reply, deadline, (piece) => {
    pieces.push(piece.subarray(0, MAX_SHOWN_BYTES - length));
    length += piece.byteLength;
    return length <= MAX_SHOWN_BYTES;
  });
  const bytes = Buffer.concat(pieces);
  return { bytes, text: decodeText(bytes, !isWhole), isCut: !isWhole };
};

interface PrintOptions {
  /** Whether the bytes of the body are printed unchanged, for a file or a pipe; a terminal gets escaped lines. */
  readonly isExact: boolean;
  /** Whether status and header fields are also printed. */
  readonly include: boolean;
  /** Whether a status of 400 or more is a failure. */
  readonly fail: boolean;
}

const outcome = (
  { status, headers }: Response,
  { bytes, text, isCut }: ShownBody,
  { isExact, include, fail }: PrintOptions,
): Outcome => {
  const fields = [...headers].map(([name, value]): Line => [styled("cyan", name), `: ${value}`]);
  const head: readonly Line[] = include
    ? [styled(status < 400 ? "green" : "red", `HTTP ${status}`), ...fields, ""]
    : [];
  const body: readonly Line[] =
    text === null ? [styled("dim", `${bytes.byteLength} bytes that are not text`)] : linesOf(text);
  return {
    ok: !fail || status < 400,
    data: {
      status,
      headers: [...headers],
      body: text ?? Buffer.from(bytes).toString("base64"),
      bodyIs: text === null ? "base64" : "text",
      isCut,
    },
    lines: isExact ? head : [...head, ...body, ...(isCut ? [styled("yellow", LEFT_OUT)] : [])],
    ...(isExact && { raw: bytes }),
  };
};

const linesOf = (text: string): readonly string[] =>
  text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);

/** Decodes UTF-8; the first bytes of a character at the end of a cut body are omitted. */
const decodeText = (bytes: Uint8Array, isCut: boolean): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch {
    return null; // binary bodies are printed as their length, or with --json as base64
  }
};
