import { readFile } from "node:fs/promises";
import vm from "node:vm";
import type { VirtualClock } from "@framework/testing";
import * as undici from "undici";

/** Loads a module by its absolute URL. Returns its exports. */
export type Load = (url: URL) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Creates a realm for the modules of the public suite: they use this clock and this `fetch`, and their output is discarded.
 *
 * Their timers advance the clock, so nothing sleeps; timers with the delay `abortMs`, which abort a request, never fire.
 */
export const createRealm = (clock: VirtualClock, fetch: unknown, abortMs: number): Load => {
  const context = vm.createContext({
    ...timersOf(clock, abortMs),
    fetch,
    AbortController,
    URL,
    console: silent,
  });
  const loaded = new Map<string, Promise<vm.Module>>();

  const load = (url: URL): Promise<vm.Module> => {
    const known = loaded.get(url.href);
    if (known !== undefined) return known;
    const module = read(url);
    loaded.set(url.href, module);
    return module;
  };
  const read = async (url: URL): Promise<vm.Module> =>
    new vm.SourceTextModule(await readFile(url, "utf8"), {
      context,
      identifier: url.href,
      importModuleDynamically: (specifier) => {
        if (specifier !== "undici") throw new Error(`the suite imports ${specifier}, which this realm lacks`);
        return undici as unknown as vm.Module; // a namespace is a valid result
      },
    });
  return async (url) => {
    const module = await load(url);
    if (module.status === "unlinked")
      await module.link((specifier, { identifier }) => load(new URL(specifier, identifier)));
    if (module.status === "linked") await module.evaluate();
    return module.namespace as Readonly<Record<string, unknown>>;
  };
};

const timersOf = (clock: VirtualClock, abortMs: number) => ({
  Date: class extends Date {
    static override now(): number {
      return clock.date();
    }
  },
  setTimeout: (task: (...values: unknown[]) => void, delayMs: number, ...values: unknown[]): unknown =>
    delayMs === abortMs ? null : void clock.advance(delayMs).then(() => task(...values)),
  clearTimeout: () => {},
});

const silent = { log() {}, error() {} };
