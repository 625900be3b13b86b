import { expect, test } from "@jest/globals";
import type { SitePage } from "../pages/site-page.ts";
import { llmsText } from "./llms-text.ts";

const page = (markdown: string, more: Partial<SitePage> = {}): SitePage => ({
  url: "/guides/a/",
  title: "A",
  section: "Guides",
  source: null,
  markdown: `# A\n\n${markdown}\n`,
  isListed: true,
  ...more,
});

const lineOf = (markdown: string): string | undefined =>
  llmsText([page(markdown)])
    .split("\n")
    .find((line) => line.startsWith("- [A]"));

test.each([
  ["Starts a job. Then more.", "Starts a job."],
  ["Starts [a\njob](jobs.md): one,\ntwo.", "Starts a job."],
  ['```ts run\nimport "a";\n\nStarts(); // It runs.\n```\n\nStarts a job.', "Starts a job."],
  ["* Item one\n* item two\n\nStarts a job.", "Starts a job."],
  ["| A | B |\n|---|---|\n| Cell. | Two. |\n\nStarts a job.", "Starts a job."],
  ["A page of [core](../README.md).\n\nStarts a job.", "Starts a job."],
  ["_Never_ starts a job. Waits.", "_Never_ starts a job."],
  ["4 KiB are read. Then more.", "4 KiB are read."],
  ["Uses a cache, e.g. Redis. Then more.", "Uses a cache, e.g. Redis."],
  ["What is a job? Work.", "What is a job?"],
  ["A text without an end", "A text without an end"],
])("of %j, the first sentence is %j", (markdown, sentence) => {
  expect(lineOf(markdown)).toBe(`- [A](guides/a/index.md): ${sentence}`);
});

test("a page without a sentence has a link alone", () => {
  expect(lineOf("```ts\nrun();\n```")).toBe("- [A](guides/a/index.md)");
});

test("the home page gives title and summary, and pages that are not listed are left out", () => {
  const home = page("A framework. It runs.", { url: "/", title: "Home", section: "Start" });
  const text = llmsText([home, page("An error.", { section: "Errors", isListed: false })]);
  expect(text).toMatch(/^# Home\n\n> A framework\.\n\n## Start\n\n- \[Home\]\(index\.md\): A framework\.\n/);
  expect(text).not.toContain("An error");
});
