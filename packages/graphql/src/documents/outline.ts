import { type Names, Spreads } from "./spreads.ts";

/** Limits on the contents of a text, besides its tokens. */
export interface OutlineLimits {
  readonly maxDepth: number;
  readonly maxAliases: number;
  readonly maxDirectives: number;
  readonly maxFragments: number;
}

/** A fragment that contains itself, directly or through other fragments. */
export interface Cycle {
  readonly fragment: string;
}

/** Limit that a text exceeds, found before parsing. */
export type OutlineExcess = keyof OutlineLimits | "levels" | Cycle;

/** Maximum nesting of lists and objects in a value, and of inline fragments: parser, validation and coercion are recursive. */
export const MAX_LEVELS = 100;

const COLON = 0x3a;
const AT = 0x40;
const OPEN_PARENTHESIS = 0x28;
const CLOSE_PARENTHESIS = 0x29;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_SET = 0x7b;
const CLOSE_SET = 0x7d;

/** The first name of a definition, or the name after a spread: `other` for any name that is not a keyword. */
export type Keyword = "fragment" | "on" | "other";

/** Follows the definitions of a document token by token, and counts the limited contents of each. */
export class Outline {
  excess: OutlineExcess | null = null;
  /** Whether the next name must be passed to `name`: it starts a definition, follows a spread, or names a fragment. */
  readsName = true;
  private readonly limits: OutlineLimits;
  /** Open selection sets; `true` for the set of an inline fragment, which does not count as a level. */
  private readonly sets: boolean[] = [];
  private readonly spreads = new Spreads();
  private fragments = 0;
  private definitions = 0;
  private depth = 0;
  /** Aliases of the current definition, and of all earlier definitions. */
  private aliases = 0;
  private earlierAliases = 0;
  private directives = 0;
  private earlierDirectives = 0;
  /** Open parentheses; they nest, because directives of variables have arguments. */
  private parentheses = 0;
  /** Open lists and objects within parentheses. */
  private levels = 0;
  private isStart = true;
  /** Whether the next name is the name of a fragment definition. */
  private isNaming = false;
  /** Whether the next selection set belongs to an inline fragment. */
  private isInline = false;

  constructor(limits: OutlineLimits) {
    this.limits = limits;
  }

  /** Checks the whole document: returns a cycle, or a limit that some operation must exceed, because validation refuses unused fragments. */
  checkTotals(names: Names): OutlineExcess | null {
    const fragment = this.fragments === 0 ? null : this.spreads.cycle(names);
    if (fragment !== null) return { fragment };
    const operations = Math.max(1, this.definitions - this.fragments);
    if (this.earlierAliases > operations * this.limits.maxAliases) return "maxAliases";
    return this.earlierDirectives > operations * this.limits.maxDirectives ? "maxDirectives" : null;
  }

  /** Reads a name. Call it only if `readsName`. */
  name(keyword: Keyword, start: number, end: number): void {
    this.readsName = false;
    if (this.isNaming) {
      this.isNaming = false;
      this.spreads.fragment({ start, end });
    } else if (this.isStart) {
      this.isStart = false;
      if (keyword === "fragment") this.begin();
    } else {
      this.isInline = keyword === "on";
      if (!this.isInline) this.spreads.spread({ start, end });
    }
  }

  private begin(): void {
    this.count("maxFragments", ++this.fragments);
    this.isNaming = true;
    this.readsName = true;
  }

  spread(): void {
    this.readsName = true;
    this.isNaming = false;
    this.isInline = true;
  }

  punctuator(code: number): void {
    this.readsName = this.isStart;
    this.isNaming = false;
    if (code === OPEN_PARENTHESIS) this.parentheses++;
    else if (code === CLOSE_PARENTHESIS) this.closeArguments();
    else if (code === AT) this.count("maxDirectives", ++this.directives);
    else if (this.parentheses > 0) this.inValue(code); // objects also have braces and colons
    else if (code === COLON) this.count("maxAliases", ++this.aliases);
    else if (code === OPEN_SET) this.open();
    else if (code === CLOSE_SET) this.close();
  }

  private inValue(code: number): void {
    if (code === OPEN_LIST || code === OPEN_SET) {
      if (++this.levels > MAX_LEVELS) this.excess ??= "levels";
    } else if (code === CLOSE_LIST || code === CLOSE_SET) this.levels--;
  }

  private closeArguments(): void {
    this.parentheses--;
    this.levels = 0;
  }

  private open(): void {
    this.isStart = false;
    this.readsName = false;
    this.sets.push(this.isInline);
    if (!this.isInline) this.count("maxDepth", ++this.depth);
    else if (this.sets.length - this.depth > MAX_LEVELS) this.excess = "levels";
    this.isInline = false;
  }

  private close(): void {
    if (this.sets.pop() === false) this.depth--;
    if (this.sets.length > 0) return;
    this.isStart = true;
    this.readsName = true;
    this.spreads.end();
    this.definitions++;
    this.earlierAliases += this.aliases;
    this.earlierDirectives += this.directives;
    this.aliases = 0;
    this.directives = 0;
  }

  private count(limit: keyof OutlineLimits, value: number): void {
    if (value > this.limits[limit]) this.excess = limit;
  }
}
