import { FrameworkError } from "../errors/framework-error.ts";
import { headerName, headerValue } from "./header-rules.ts";

/** Header fields as a program can pass them: a record, pairs, or any `Headers`. */
export type HeadersLike = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

/** Maximum number of header lines of a reply: 100 for the handler and 28 for features. */
const MAX_FIELDS = 128;

/** Maximum number of header lines of a handler's reply. */
export const MAX_HANDLER_FIELDS = 100;

/**
 * The header fields of a reply, with the interface of the web's `Headers`.
 *
 * Names are in lower case, lines in the order of insertion; `Set-Cookie` lines stay separate. At most 128 lines, of which a handler may use 100; the rest is
 * for features.
 *
 * @throws CORE_BAD_HEADER for a name that is not a token, a value with control characters or characters above U+00FF, a 129th line
 */
export class ResponseHeaders implements Iterable<[string, string]> {
  /** name, value, name, value … */
  private list: string[] = [];

  constructor(init?: HeadersLike) {
    if (init === undefined || init === null) return;
    if (Symbol.iterator in init) {
      for (const [name, value] of init as Iterable<readonly [string, string]>) this.append(name, value);
    } else {
      for (const name of Object.keys(init)) this.append(name, init[name] as string);
    }
  }

  /** The value of a field, `null` when absent; several lines joined with `, `. */
  get(name: string): string | null {
    const key = headerName(name);
    const { list } = this;
    let found: string | null = null;
    for (let index = 0; index < list.length; index += 2) {
      if (list[index] !== key) continue;
      const value = list[index + 1] as string;
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  /** Replaces every line of a field with one. */
  set(name: string, value: string): void {
    const key = headerName(name);
    const text = headerValue(key, value);
    const at = this.indexOf(key);
    if (at === -1) return this.add(key, text);
    this.list[at + 1] = text;
    this.removeFrom(key, at + 2);
  }

  /** Adds a line and keeps the existing lines of the field. */
  append(name: string, value: string): void {
    const key = headerName(name);
    this.add(key, headerValue(key, value));
  }

  /** Removes every line of a field. */
  delete(name: string): void {
    this.removeFrom(headerName(name), 0);
  }

  /** Whether the field is set. */
  has(name: string): boolean {
    return this.indexOf(headerName(name)) !== -1;
  }

  /** Every `Set-Cookie` line. */
  getSetCookie(): string[] {
    const { list } = this;
    return list.filter((_, index) => index % 2 === 1 && list[index - 1] === "set-cookie");
  }

  /** Every line as it is sent: name, value, name, value … The list is live; the caller must not change it. */
  toFields(): readonly string[] {
    return this.list;
  }

  /** Returns a copy with its own list of lines. */
  copy(): ResponseHeaders {
    const copy = new ResponseHeaders();
    copy.list = this.list.slice();
    return copy;
  }

  /** The names, in lower case. */
  keys(): ArrayIterator<string> {
    return this.combined()
      .map(([name]) => name)
      .values();
  }

  /** The values. */
  values(): ArrayIterator<string> {
    return this.combined()
      .map(([, value]) => value)
      .values();
  }

  /** Pairs of name and value. */
  entries(): ArrayIterator<[string, string]> {
    return this.combined().values();
  }

  /** Names and values sorted by name, lines of the same name joined, except `Set-Cookie` (Fetch standard, "sort and combine"). */
  [Symbol.iterator](): ArrayIterator<[string, string]> {
    return this.entries();
  }

  /** Calls `callback` for each field. */
  forEach(callback: (value: string, name: string, headers: this) => void, thisArg?: unknown): void {
    for (const [name, value] of this.combined()) callback.call(thisArg, value, name, this);
  }

  get [Symbol.toStringTag](): string {
    return "Headers";
  }

  private add(key: string, value: string): void {
    if (this.list.length >= 2 * MAX_FIELDS) {
      throw new FrameworkError(
        "CORE_BAD_HEADER",
        `a reply has at most ${MAX_FIELDS} header lines; ${key} is one more`,
      );
    }
    this.list.push(key, value);
  }

  private indexOf(key: string): number {
    const { list } = this;
    for (let index = 0; index < list.length; index += 2) if (list[index] === key) return index;
    return -1;
  }

  private removeFrom(key: string, start: number): void {
    const { list } = this;
    for (let index = list.length - 2; index >= start; index -= 2)
      if (list[index] === key) list.splice(index, 2);
  }

  private combined(): [string, string][] {
    const names = [...new Set(this.list.filter((_, index) => index % 2 === 0))].sort();
    return names.flatMap((name): [string, string][] =>
      name === "set-cookie"
        ? this.getSetCookie().map((line) => [name, line])
        : [[name, this.get(name) as string]],
    );
  }
}
