/** One server of the comparison. */
export interface Contender {
  /** For `--servers` and the report. */
  readonly name: string;
  /** For tables. */
  readonly title: string;
  /** Program in `servers/`. */
  readonly file: string;
  readonly args: readonly string[];
  /** The package whose version is reported. */
  readonly package?: string;
  /** Its workloads; all by default. */
  readonly only?: readonly string[];
  /** Whether a quick run measures its memory. */
  readonly quickMemory?: boolean;
}

const peer = (name: string, dependency: string = name): Contender => ({
  name,
  title: name,
  file: `${name}.ts`,
  args: [],
  package: dependency,
});

/** All servers; the first two are the baselines of ratios. */
export const contenders: readonly Contender[] = [
  { name: "raw", title: "raw node:http", file: "raw.ts", args: [], quickMemory: true },
  { name: "tuned", title: "raw node:http, tuned", file: "raw.ts", args: ["--tuned"] },
  {
    name: "fast",
    title: "framework, fast",
    file: "framework.ts",
    args: ["--transport=fast"],
    quickMemory: true,
  },
  {
    name: "async",
    title: "framework, fast, async handlers",
    file: "framework.ts",
    args: ["--transport=fast", "--async"],
    only: ["json", "param", "echo"],
  },
  {
    name: "node",
    title: "framework, node",
    file: "framework.ts",
    args: ["--transport=node"],
    quickMemory: true,
  },
  { ...peer("fastify"), quickMemory: true },
  peer("polka"),
  peer("hono"),
  peer("h3"),
  peer("elysia"),
  { ...peer("nest", "@nestjs/core"), title: "nest on fastify" },
  peer("express"),
  peer("koa"),
];

/** The title of a server. */
export const titleOf = (name: string): string =>
  contenders.find((contender) => contender.name === name)?.title ?? name;
