import { readFileSync } from "node:fs";

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly children?: readonly number[];
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

/** A function, its share of the busy time, and its main caller. */
export interface SelfTime {
  readonly name: string;
  readonly share: number;
  readonly caller: string;
}

/**
 * Returns the functions of a `.cpuprofile`, by self time in descending order, without the first third of the profile (start and warm-up).
 * `(program)` is native code without a name in V8, including system calls.
 */
export const selfTimes = (file: string): SelfTime[] => {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as CpuProfile;
  const nameOf = new Map(nodes.map((node) => [node.id, frameName(node)]));
  const callerOf = new Map(
    nodes.flatMap((node) => (node.children ?? []).map((child) => [child, frameName(node)])),
  );
  const times = new Map<string, Map<string, number>>();
  let totalTime = 0;
  for (let index = Math.floor(samples.length / 3); index < samples.length; index++) {
    const [id = 0, time = 0] = [samples[index], timeDeltas[index]];
    const name = nameOf.get(id) ?? "";
    if (name === "(idle)") continue;
    totalTime += time;
    const byCaller = times.get(name) ?? new Map<string, number>();
    const caller = callerOf.get(id) ?? "";
    times.set(name, byCaller.set(caller, (byCaller.get(caller) ?? 0) + time));
  }
  return [...times]
    .map(([name, byCaller]) => ({ name, share: total(byCaller) / totalTime, caller: mostFrequent(byCaller) }))
    .sort((a, b) => b.share - a.share);
};

const total = (times: ReadonlyMap<string, number>): number => [...times.values()].reduce((a, b) => a + b, 0);

const mostFrequent = (times: ReadonlyMap<string, number>): string =>
  [...times].reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0])[0];

const frameName = ({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string =>
  url === "" ? functionName : `${functionName || "(anonymous)"} ${shorten(url)}:${lineNumber + 1}`;

const shorten = (url: string): string => url.replace(/^file:\/\/.*\/(?=(packages|bench)\/)/, "");
