import type { Definition } from "./definition.ts";

/** Values that replace dependencies, by name; the latest of several for one name wins. */
export class Overrides {
  private readonly byName: Map<string, Definition[]> = new Map();

  get isEmpty(): boolean {
    return this.byName.size === 0;
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  latest(name: string): Definition | undefined {
    return this.byName.get(name)?.at(-1);
  }

  /** Adds an override. Returns a function that removes it, in any order, and returns whether it was present. */
  add(definition: Definition): () => boolean {
    const { name } = definition;
    const stack = this.byName.get(name) ?? [];
    this.byName.set(name, stack);
    stack.push(definition);
    return () => {
      const index = stack.indexOf(definition);
      if (index === -1) return false;
      stack.splice(index, 1);
      if (stack.length === 0) this.byName.delete(name);
      return true;
    };
  }
}
