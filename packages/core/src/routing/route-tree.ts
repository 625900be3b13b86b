import { endOfSegment, type Pattern } from "./pattern.ts";

/** Holds the entry of one path shape. */
export interface Slot<T> {
  entry: T | null;
}

/** Static text up to the next branch, possibly across segments; `entry` belongs to the pattern that ends here. */
interface Node<T> extends Slot<T> {
  /** Text that the path must contain here, encoded like canonical paths. */
  text: string;
  /** Child nodes by the code of their first character. */
  readonly statics: Node<T>[];
  /** The subtree after a parameter that begins here; only at the start of a segment. */
  param: Node<T> | null;
  wildcard: Slot<T> | null;
}

/**
 * A radix tree of the routes of one method, looked up by canonical path: in each segment, static text takes precedence over a parameter, and a parameter over a
 * wildcard, with backtracking.
 *
 * A lookup enters each node at most once, because the nodes above a node determine where in the path it begins.
 */
export class RouteTree<T> {
  private readonly root: Node<T> = createNode("");

  /** Returns the slot of a pattern's shape, created on first use. */
  slot({ segments }: Pattern): Slot<T> {
    let node = this.root;
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

  /** Returns the entry with the highest precedence for a path. */
  find(path: string): T | null {
    return search(this.root, path, 0);
  }
}

const createNode = <T>(text: string): Node<T> => ({
  entry: null,
  text,
  statics: [],
  param: null,
  wildcard: null,
});

/** Returns the node for `text` below the node `from`; creates it on first use. */
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

/** Searches the subtree of a node whose own text ends before `from`. */
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

/** Whether a path continues with `text`; the first character is known to match. */
const hasText = (path: string, at: number, text: string): boolean => {
  for (let index = 1; index < text.length; index++) {
    if (path.charCodeAt(at + index) !== text.charCodeAt(index)) return false;
  }
  return true;
};
