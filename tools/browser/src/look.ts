import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@framework/testing";
import axe from "axe-core";
import type { View } from "./chromium.ts";
import type { Visit } from "./visit.ts";

/** The widths of a phone, a tablet and a desk, each in light and dark. */
export const views: readonly (View & Required<View>)[] = (["light", "dark"] as const).flatMap((colours) =>
  [375, 768, 1280].map((width) => ({ width, colours })),
);

/** Describes a view, for the name of a test. */
export const viewName = ({ width, colours }: Required<View>): string => `${width} wide in ${colours}`;

/** Resolves when an expression of the page is true; fails after a minute. @param what a description for the error */
export const shows = (visit: Visit, expression: string, what: string = expression): Promise<unknown> =>
  waitFor(() => visit.evaluate<boolean>(`Boolean(${expression})`), { what, timeoutMs: 60_000 });

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Returns the accessibility violations that axe-core finds. @param parts selectors of the examined parts. @default the page */
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

/** Checks that a page, as it is now, has no violation and does not scroll horizontally. @param place named in the error */
export const assertUsable = async (visit: Visit, place: string): Promise<void> => {
  assert.deepEqual([place, await violations(visit)], [place, []]);
  const overflow = await visit.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.deepEqual([place, overflow], [place, 0]);
};

/** Checks that a page has no problems, and requested only URLs below the addresses. */
export const assertQuiet = (visit: Visit, ...addresses: readonly string[]): void => {
  assert.deepEqual(visit.problems, []);
  assert.deepEqual(
    visit.requested().filter((url) => ![...addresses, "blob:"].some((address) => url.startsWith(address))),
    [],
  );
};

/** Presses Tab until an expression about the page is true. @throws after 100 presses */
export const tabUntil = async (visit: Visit, expression: string): Promise<void> => {
  for (let n = 0; n < 100; n++) {
    if (await visit.evaluate<boolean>(`Boolean(${expression})`)) return;
    await visit.press("Tab");
  }
  assert.fail(`100 times Tab did not reach ${expression}`);
};

/** An expression for the text of the focused element. */
export const FOCUSED_TEXT = "document.activeElement.textContent.trim()";

/** Writes a screenshot to the temporary folder. */
export const takePicture = async (visit: Visit, name: string): Promise<void> =>
  writeFileSync(join(tmpdir(), `${name}.png`), await visit.screenshot());
