import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@framework/testing";
import axe from "axe-core";
import type { View } from "./chromium.ts";
import type { Visit } from "./visit.ts";

/** Widths of a phone, a tablet and a desktop, each in light and dark. */
export const views: readonly (View & Required<View>)[] = (["light", "dark"] as const).flatMap((colours) =>
  [375, 768, 1280].map((width) => ({ width, colours })),
);

/** Returns the description of a view for the name of a test. */
export const viewName = ({ width, colours }: Required<View>): string => `at ${width} px in ${colours} mode`;

/** Resolves when an expression in the page is true; rejects after a minute. @param label a description for the error */
export const shows = (visit: Visit, expression: string, label: string = expression): Promise<unknown> =>
  waitFor(() => visit.evaluate<boolean>(`Boolean(${expression})`), { subject: label, timeoutMs: 60_000 });

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Returns the accessibility violations that axe-core finds. @param parts selectors of the examined parts; the whole page by default */
export const violations = async (
  visit: Visit,
  {
    include,
    exclude = [],
  }: { readonly include?: readonly string[]; readonly exclude?: readonly string[] } = {},
): Promise<readonly string[]> => {
  await visit.evaluate(`{ ${axe.source} }`);
  const context = JSON.stringify({ include: include ?? ["html"], exclude });
  const found = await visit.evaluate<readonly Violation[]>(
    `axe.run(${context}).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
};

/** Checks that the page in its current state has no accessibility violation and no horizontal scrolling. @param label name of the page in the error */
export const assertUsable = async (visit: Visit, label: string): Promise<void> => {
  assert.deepEqual([label, await violations(visit)], [label, []]);
  const overflow = await visit.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.deepEqual([label, overflow], [label, 0]);
};

/** Checks that a page has no problems, and requested only URLs that begin with one of the addresses. */
export const assertQuiet = (visit: Visit, ...addresses: readonly string[]): void => {
  assert.deepEqual(visit.problems, []);
  assert.deepEqual(
    visit.requested().filter((url) => ![...addresses, "blob:"].some((address) => url.startsWith(address))),
    [],
  );
};

/** Presses Tab until an expression in the page is true. @throws after 100 presses */
export const tabUntil = async (visit: Visit, expression: string): Promise<void> => {
  for (let n = 0; n < 100; n++) {
    if (await visit.evaluate<boolean>(`Boolean(${expression})`)) return;
    await visit.press("Tab");
  }
  assert.fail(`100 presses of Tab did not reach ${expression}`);
};

/** Expression for the text of the focused element. */
export const FOCUSED_TEXT = "document.activeElement.textContent.trim()";

/** Writes a screenshot to the temporary folder. */
export const saveScreenshot = async (visit: Visit, name: string): Promise<void> =>
  writeFileSync(join(tmpdir(), `${name}.png`), await visit.screenshot());
