/**
 * Lanes that a member may hold: as equal as possible, with the remainder for the members that joined first. The shares of all members add up to `count`.
 *
 * @param members owners in the order of joining
 */
export const fairShare = (members: readonly string[], owner: string, count: number): number => {
  const place = members.indexOf(owner);
  if (place === -1) return 0;
  return Math.floor(count / members.length) + (place < count % members.length ? 1 : 0);
};
