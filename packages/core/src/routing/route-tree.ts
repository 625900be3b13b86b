import { endOfSegment, type Pattern } from "./pattern.ts";

/** A place for what one shape of path leads to. */
export interface Slot<T> {
  entry: T | null;
}

/** A run of static text, across segments, up to where patterns part; `entry` belongs to the pattern that ends here. */
interface Node<T> extends Slot<T> {
  /** What the path has to have here, as canonical paths spell it. */
  text: string;
  /** What may follow, by the code of its first character. */
  readonly statics: Node<T>[];
  /** What follows a parameter that begins here; only where a segment begins. */
  param: Node<T> | null;
  wildcard: Slot<T> | null;
}

/**
 * The routes of one method, found by canonical path: per segment static before parameter before wildcard, with backtracking.
 *
 * A radix tree. A lookup enters each node at most once, because all that leads to a node takes the same part of the path.
 */
export class RouteTree<T> {
  readonly #root: Node<T> = createNode("");

  /** The slot of a pattern's shape, made when it is first asked for. */
  slot({ segments }: Pattern): Slot<T> {
    let node = this.#root;
    let text = "";
    for (const segment of segments) {
      text += "/";
      if (segment.kind === "static") {
        text += segment.text;
        continue;
      }
      node = grow(node, text);
      text = "";
      if (segment.kind === "wildcard") return (node.wildcard ??= { entry: null });
      node = node.param ??= createNode("");
    }
    return grow(node, text);
  }

  /** The entry with the highest precedence for a path. */
  find(path: string): T | null {
    return search(this.#root, path, 0);
  }
}

const createNode = <T>(text: string): Node<T> => ({
  entry: null,
  text,
  statics: [],
  param: null,
  wildcard: null,
});

/** The node that `text` leads to from a node. */
const grow = <T>(from: Node<T>, text: string): Node<T> => {
  if (text === "") return from;
  const first = text.charCodeAt(0);
  const child = (from.statics[first] ??= createNode(text));
  let shared = 1;
  while (shared < child.text.length && child.text[shared] === text[shared]) shared++;
  if (shared === child.text.length) return grow(child, text.slice(shared));
  const stem = createNode<T>(text.slice(0, shared));
  child.text = child.text.slice(shared);
  stem.statics[child.text.charCodeAt(0)] = child;
  from.statics[first] = stem;
  return grow(stem, text.slice(shared));
};

/** Finds what lies below a node whose own text ends before `from`. */
const search = <T>(start: Node<T>, path: string, from: number): T | null => {
  let node = start;
  let at = from;
  while (at < path.length) {
    const child = node.statics[path.charCodeAt(at)];
    const fits = child !== undefined && hasText(path, at, child.text);
    if (node.param === null && node.wildcard === null) {
      if (!fits) return null;
      node = child;
      at += child.text.length;
      continue;
    }
    const found = fits ? search(child, path, at + child.text.length) : null;
    return found ?? searchParam(node, path, at) ?? (node.wildcard === null ? null : node.wildcard.entry);
  }
  return node.entry;
};

const searchParam = <T>({ param }: Node<T>, path: string, at: number): T | null => {
  if (param === null) return null;
  const end = endOfSegment(path, at);
  return end > at ? search(param, path, end) : null;
};

/** Whether a path goes on with a text whose first character is known to fit. */
const hasText = (path: string, at: number, text: string): boolean => {
  for (let index = 1; index < text.length; index++) {
    if (path.charCodeAt(at + index) !== text.charCodeAt(index)) return false;
  }
  return true;
};
