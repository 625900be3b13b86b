/**
 * Returns the number of lanes that a member may hold. Shares differ by at most one, the first members get the larger ones, and the sum is `count`.
 *
 * @param members owners, in the order in which they joined
 */
export const fairShare = (members: readonly string[], owner: string, count: number): number => {
  const index = members.indexOf(owner);
  if (index === -1) return 0;
  return Math.floor(count / members.length) + (index < count % members.length ? 1 : 0);
};
