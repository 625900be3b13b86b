import { join } from "node:path";
import fc from "fast-check";
import { canary, makeTree } from "./served-app.test-kit.ts";

/** A tree whose folder `public` is served, with allowed and forbidden files inside, beside and above it. */
export const root: string = makeTree({
  "canary.txt": canary,
  "public-x/canary.txt": canary,
  "public/index.html": "<p>index</p>",
  "public/a.txt": "a",
  "public/sub/b.txt": "b",
  "public/sub/index.html": "<p>sub</p>",
  "public/name with space.txt": "space",
  "public/grün.txt": "green",
  "public/100%.txt": "percent",
  "public/a..b.txt": "dots",
  "public/inner.txt": { link: "a.txt" },
  "public/A.TXT": { link: "a.txt" },
  "public/inner-folder": { link: "sub" },
  "public/.env": canary,
  "public/.git/config": canary,
  "public/sub/.hidden": canary,
  "public/out.txt": { link: "../canary.txt" },
  "public/out": { link: ".." },
  "public/sibling": { link: "../public-x" },
  "public/loop": { link: "loop" },
  "public/nowhere": { link: "absent" },
  "public/pipe": { pipe: true },
});

const dots = [
  "..",
  "%2e%2e",
  "%2E.",
  ".%2e",
  "%252e%252e",
  "%c0%ae%c0%ae",
  "%e0%80%ae%e0%80%ae",
  "%ef%bc%8e%ef%bc%8e",
  "%u002e%u002e",
  "...",
  "..%00",
  "..;",
  "..%20",
  "..%09",
  "%e2%80%a6",
];
const slashes = [
  "/",
  "%2f",
  "%2F",
  "%252f",
  "%5c",
  "\\",
  "%255c",
  "%c0%af",
  "%e0%80%af",
  "%e2%81%84",
  "%e2%88%95",
  "%ef%bc%8f",
  "//",
  "/./",
  "%2f/",
  "/%2f",
  ";/",
];
const targets = ["canary.txt", "public-x/canary.txt"];

/** Every traversal from the tables above, from four paths. */
const traversals = targets.flatMap((target) =>
  dots.flatMap((dot) =>
    slashes.flatMap((slash) =>
      ["", "sub/", "/", "a.txt/"].flatMap((start) =>
        [1, 2].map((depth) => `/static/${start}${`${dot}${slash}`.repeat(depth)}${target}`),
      ),
    ),
  ),
);

/** Existing files that must not be served, with suffixes that some systems remove. */
const direct = [
  ".env",
  ".git/config",
  ".git/",
  ".git",
  "sub/.hidden",
  "out.txt",
  "out/canary.txt",
  "out/",
  "out",
  "sibling/canary.txt",
  "loop",
  "nowhere",
  "pipe",
  "pipe/",
].flatMap((name) =>
  [
    "",
    ".",
    "%20",
    "/",
    "/.",
    "::$DATA",
    ":x",
    "%00",
    "%00.html",
    "?x",
    "%3f",
    "%23",
    "%0a",
    "~1",
    "*",
  ].flatMap((end) =>
    ["/static/", "/static//", "/static/%2e/", "/static/sub/../", "/STATIC/"].map(
      (start) => `${start}${name}${end}`,
    ),
  ),
);

const absolute = [
  join(root, "canary.txt"),
  `/${join(root, "canary.txt")}`,
  `file://${join(root, "canary.txt")}`,
  "C:/canary.txt",
  "C:%5ccanary.txt",
  "%5c%5chost%5cshare%5ccanary.txt",
  "/proc/self/root/canary.txt",
  "/etc/passwd",
  "CON",
  "NUL",
  "aux.txt",
].flatMap((path) => [
  `/static/${path}`,
  `/static${path}`,
  `/static/${encodeURIComponent(path)}`,
  `/static-x/${path}`,
  `/static/../${path}`,
]);

const pieces = [
  "..",
  ".",
  "%2e",
  "%2f",
  "/",
  "\\",
  "%5c",
  "%00",
  "canary.txt",
  "public",
  "public-x",
  "sub",
  "out",
  "out.txt",
  ".env",
  "a.txt",
  "%",
  "%c0%ae",
  "%25",
  "?",
  ";",
  "~",
  ":",
  "%e2%80%ae",
  "\u00e9",
];
const random = fc
  .sample(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }), {
    numRuns: 800,
    seed: 20_260_101,
  })
  .map((list) => `/static/${list.join("")}`);

/** More than 3,000 targets; each names a file that must not be served, or a missing one. */
export const spellings: readonly string[] = [...new Set([...traversals, ...direct, ...absolute, ...random])];
