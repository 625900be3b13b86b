import { expect, test } from "@jest/globals";
import { exampleReport } from "./example-report.ts";
import { blockOf, markers, toMarkdown, withBlock } from "./markdown.ts";

test("columns are padded, and numbers are right-aligned", () => {
  const table = toMarkdown({
    heads: ["Server", "µs"],
    rows: [
      ["raw", "40"],
      ["framework", "21.5"],
    ],
  });
  expect(table.split("\n")).toEqual([
    "| Server    |   µs |",
    "| --------- | ---: |",
    "| raw       |   40 |",
    "| framework | 21.5 |",
  ]);
});

test("the block describes the run, and results have intervals", () => {
  const block = blockOf(exampleReport);
  expect(block).toContain("2026-01-02, `pnpm bench`, 12 min. Node 26.0.0");
  expect(block).toContain("servers and client each pinned to a core, steal time 1.2 %");
  expect(block).toContain(
    "n = 20 rounds, 40 for workloads with a gate relative to raw, with 4 starts of all servers, after 12000 warm-up requests, 40000 for workloads with a gate",
  );
  expect(block).toContain("Releases: fastify 5.0.0.");
  expect(block).toMatch(
    /\| framework, fast +\| +16\.7 \[15\.8–17\.5\] \| +5\.6 \[5\.3–5\.8\] \| +1\.80 \[1\.71–1\.89\] \|/,
  );
  expect(block).toContain("2800 [2660–2940]");
  expect(block).toMatch(/\| get-json +\| +1\.80 \[1\.71–1\.89\] \| +≥ 1\.7 \| +≥ 2 \| +yes \|/);
  expect(block).not.toContain("quick");
});

test("the first table has the best peer of each row, both runs, and the caches of the servers", () => {
  const cells = exampleReport.cells.map((cell) => ({
    ...cell,
    ratioToRaw: { median: 1.5, low: 1, high: 2, n: 20 },
    ratioOfFast: { median: 1.9, low: 1, high: 2, n: 20 },
  }));
  const block = blockOf(exampleReport, { ...exampleReport, date: "2026-01-01T00:00:00.000Z", cells });
  expect(block).toContain("Previous run: 2026-01-01");
  const [first = "", second = ""] = block.slice(block.indexOf("**CPU time of the best peer")).split("\n\n**");
  expect(first).toMatch(
    /\| POST 200 bytes.+ \| 2\.00 \[1\.90–2\.10\] \| +1\.90 \| fastify +\| the framework: the keys of a route's last body; the others: nothing +\|/,
  );
  expect(second).toMatch(/\| GET json +\| +1 \| +1\.80 \/ 1\.50 \| +0\.90 \/ 1\.50 \|/);
});

test("a quick run is marked", () => {
  expect(blockOf({ ...exampleReport, quick: true })).toContain("A quick run: not for publishing.");
});

test("only the text between the markers is replaced", () => {
  const text = `before\n${markers.begin}\nold\n${markers.end}\nafter\n`;
  const written = withBlock(text, "new");
  expect(written).toBe(`before\n${markers.begin}\n\nnew\n\n${markers.end}\nafter\n`);
  expect(withBlock(written, "new")).toBe(written);
});

test("a text without markers is rejected", () => {
  expect(() => withBlock("nothing", "new")).toThrow("the page has no");
});
