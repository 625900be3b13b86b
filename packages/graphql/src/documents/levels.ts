/** Whether the arrays and objects within a value are nested at most `levels` deep. The value itself does not count. */
export const isWithin = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return true;
  if (levels < 0) return false;
  for (const member of Object.values(value)) if (!isWithin(member, levels - 1)) return false;
  return true;
};
