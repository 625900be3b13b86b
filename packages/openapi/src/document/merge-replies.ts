import type { ImpliedReply } from "@framework/core/feature";

/**
 * Merges implied replies, in ascending order of their statuses. Several causes of one status become one reply with all descriptions and all
 * fields; it counts as a reply of the handler only if every cause does.
 */
export const mergeReplies = (replies: readonly ImpliedReply[]): readonly ImpliedReply[] =>
  [...Map.groupBy(replies, ({ status }) => status)]
    .map(([status, causes]) => ({
      status,
      description: [...new Set(causes.map(({ description }) => description))].toSorted().join(" "),
      headers: Object.assign({}, ...causes.map(({ headers }) => headers)) as ImpliedReply["headers"] & object,
      byHandler: causes.every(({ byHandler }) => byHandler === true),
    }))
    .toSorted((a, b) => a.status - b.status);
