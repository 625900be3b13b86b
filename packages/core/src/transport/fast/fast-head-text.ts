import { reasonPhrase } from "../../http/reason-phrase.ts";
import { headerName, headerValue } from "../../response/header-rules.ts";
import { flat } from "../wire/head-end.ts";
import { isConnectionField, type ReplyHead } from "../wire/reply-head.ts";

/**
 * A reply's head as it goes on the wire, one character a byte, the empty line included.
 *
 * @throws CORE_BAD_HEADER for a field that cannot go on the wire, before anything is written
 */
export const headText = ({ status, fields, close }: ReplyHead): string => {
  let text = statusLine(status);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    headerName(name);
    text += `${name}: ${headerValue(name, value)}\r\n`;
  }
  return close ? `${text}\r\n` : `${text}Connection: keep-alive\r\n\r\n`;
};

const ok = "HTTP/1.1 200 OK\r\n";

const statusLine = (status: number): string =>
  status === 200 ? ok : `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`;

/**
 * What `headText` gives for a reply with a body in memory, in one step; `null` when there is more to decide than its length.
 *
 * @param length bytes of the body, whether it is sent or not
 * @param ends the lines behind the length: `date`, `connection` and the empty one
 * @throws CORE_BAD_HEADER as `headText` does
 */
export const ordinaryHeadText = (
  status: number,
  fields: readonly string[],
  length: number,
  ends: string,
): string | null => {
  if (fields === shared.fields && status === shared.status) return sharedHead(length, ends);
  const start = ordinaryStart(status, fields);
  if (start === null) return null;
  if (fields === before && Object.isFrozen(fields)) {
    shared = { fields, status, start: flat(start) };
    whole.ends = "";
  }
  before = fields;
  return `${start}${length}\r\n${ends}`;
};

/** The start of the replies that share one list of fields, which cannot change: those that nobody gave a field of their own. */
let shared = { fields: [] as readonly string[], status: 0, start: "" };
/** The list of the reply before. */
let before: readonly string[] | null = null;

/** Whole heads of the replies that share their fields, by length: in one second many bodies are as long as others. A place for each of the lengths that end alike in binary. */
const whole = {
  ends: "",
  lengths: new Int32Array(64),
  texts: Array.from({ length: 64 }, () => ""),
};

const sharedHead = (length: number, ends: string): string => {
  const { lengths, texts } = whole;
  if (ends !== whole.ends) {
    whole.ends = ends;
    lengths.fill(-1);
  }
  const at = length % texts.length;
  const known = texts[at] as string;
  if (lengths[at] === length && known !== "") return known;
  const text = `${shared.start}${length}\r\n${ends}`;
  texts[at] = lengths[at] === length ? flat(text) : ""; // one that comes only once is not worth its flattening
  lengths[at] = length;
  return text;
};

/** All that stands before the length. */
const ordinaryStart = (status: number, fields: readonly string[]): string | null => {
  if (status !== 200 && !isOrdinary(status)) return null;
  let text = statusLine(status);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const line = fieldLine(fields[at] as string, fields[at + 1] as string);
    if (line === "") return null;
    text += line;
  }
  return `${text}content-length: `;
};

const isOrdinary = (status: number): boolean =>
  Number.isInteger(status) &&
  status > 199 &&
  status < 600 &&
  status !== 204 &&
  status !== 205 &&
  status !== 304;

/** The line last written for a name: most fields have the same value in every reply. Bounded, since a program may make names from input. */
const lines = new Map<string, { value: string; line: string; again: boolean }>();
const maxLines = 100;
const maxRememberedLength = 256;

/** A checked line; empty for a field of the connection. */
const fieldLine = (name: string, value: string): string => {
  const known = lines.get(name);
  if (known !== undefined && known.value === value) {
    if (known.again) return known.line;
    known.again = true; // one that comes only once is not worth its flattening
    return (known.line = flat(known.line));
  }
  if (isConnectionField(name)) return "";
  headerName(name);
  const line = `${name}: ${headerValue(name, value)}\r\n`;
  if (line.length > maxRememberedLength) return line;
  if (known === undefined) {
    if (lines.size < maxLines) lines.set(name, { value, line, again: false });
  } else {
    known.value = value;
    known.line = line;
    known.again = false;
  }
  return line;
};
