import { readFileSync } from "node:fs";

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

/** A function and its share of the time in which the processor was busy. */
export interface SelfTime {
  readonly name: string;
  readonly share: number;
}

const waiting = new Set(["(idle)", "(program)", "(root)"]);

/** The functions of a `.cpuprofile` in which most time was spent themselves. What V8 cannot name is left out of the whole. */
export const selfTimes = (file: string): SelfTime[] => {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as CpuProfile;
  const nameOf = new Map(nodes.map((node) => [node.id, frameName(node)]));
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = nameOf.get(id) ?? "";
    if (!waiting.has(name)) times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const whole = [...times.values()].reduce((a, b) => a + b, 0);
  return [...times]
    .map(([name, time]) => ({ name, share: time / whole }))
    .sort((a, b) => b.share - a.share);
};

const frameName = ({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string =>
  url === "" ? functionName : `${functionName || "(anonymous)"} ${shortened(url)}:${lineNumber + 1}`;

const shortened = (url: string): string => url.replace(/^file:\/\/.*\/(?=(packages|bench)\/)/, "");
