import { headerName, headerValue } from "../../response/header-rules.ts";
import { flatten } from "../wire/head-end.ts";
import { isConnectionField, allowsBody } from "../wire/reply-head.ts";
import { statusLine } from "./fast-head-text.ts";

/** Slots of the direct-mapped cache of heads, indexed by content-length modulo this number. */
const HEAD_SLOTS = 64;
const MAX_LINES = 100;
/** Maximum length of a cached line. */
const MAX_LINE_LENGTH = 256;

/** A cached header line, which is checked, and flattened on its first repetition. */
interface Line {
  value: string;
  line: string;
  flat: boolean;
}

/**
 * Writes the heads of ordinary replies and caches their common parts. All connections of a transport share one instance.
 *
 * The caches are bounded: one list of fields, 64 heads, and 100 lines of up to 256 characters. See `docs/memos.md` for the savings of each cache.
 */
export class ReplyHeads {
  /** Fields and status of the cached start of a head. */
  private sharedFields: readonly string[] | null = null;
  private sharedStatus = 0;
  private sharedStart = "";
  /** The list of the previous reply. */
  private previousFields: readonly string[] | null = null;
  /** The end of the cached heads. */
  private headsEnd = "";
  private readonly lengths = new Int32Array(HEAD_SLOTS);
  private readonly heads: string[] = [];
  /** The last line for each name: most fields have the same value in every reply. */
  private readonly lines = new Map<string, Line>();

  /**
   * Returns the same text as `headText` for a reply with a body in memory; `null` for a reply that needs `prepareReply`.
   *
   * @param fields `Reply.fields()`; a frozen list is recognised by identity, as its contract allows
   * @param length bytes of the body, sent or not
   * @param end the lines after the content-length: `ConnectionHub.headEnd`
   * @throws CORE_BAD_HEADER for an invalid field
   */
  ordinary(status: number, fields: readonly string[], length: number, end: string): string | null {
    if (fields === this.sharedFields && status === this.sharedStatus) return this.sharedHead(length, end);
    const start = this.start(status, fields);
    if (start === null) return null;
    if (fields === this.previousFields && Object.isFrozen(fields)) this.share(status, fields, start);
    this.previousFields = fields;
    return `${start}${length}\r\n${end}`;
  }

  private share(status: number, fields: readonly string[], start: string): void {
    this.sharedFields = fields;
    this.sharedStatus = status;
    this.sharedStart = flatten(start);
    this.headsEnd = "";
  }

  /** Returns a head with the shared fields. Caches it if its length repeats while `end` is valid, which is a second. */
  private sharedHead(length: number, end: string): string {
    const { lengths, heads } = this;
    if (end !== this.headsEnd) {
      this.headsEnd = end;
      lengths.fill(-1);
    }
    const slot = length % HEAD_SLOTS;
    const cached = heads[slot];
    if (lengths[slot] === length && cached !== undefined && cached !== "") return cached;
    const head = `${this.sharedStart}${length}\r\n${end}`;
    heads[slot] = lengths[slot] === length ? flatten(head) : ""; // flattening costs more than one use of the head saves
    lengths[slot] = length;
    return head;
  }

  /** Returns the head up to the value of content-length; `null` for a reply that needs `prepareReply`. */
  private start(status: number, fields: readonly string[]): string | null {
    if (status !== 200 && !allowsBody(status)) return null;
    let text = statusLine(status);
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const line = this.line(fields[at] as string, fields[at + 1] as string);
      if (line === "") return null;
      text += line;
    }
    return `${text}content-length: `;
  }

  /** Returns a checked line; empty for a field that the transport sets. */
  private line(name: string, value: string): string {
    const cached = this.lines.get(name);
    if (cached !== undefined && cached.value === value) {
      if (cached.flat) return cached.line;
      cached.flat = true; // on the first repetition: flattening costs more than one use of the line saves
      return (cached.line = flatten(cached.line));
    }
    if (isConnectionField(name)) return "";
    headerName(name);
    const line = `${name}: ${headerValue(name, value)}\r\n`;
    if (line.length > MAX_LINE_LENGTH) return line;
    if (cached === undefined) {
      if (this.lines.size < MAX_LINES) this.lines.set(name, { value, line, flat: false });
    } else {
      cached.value = value;
      cached.line = line;
      cached.flat = false;
    }
    return line;
  }
}
