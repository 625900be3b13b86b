/** Whether an error of the driver, or one of its causes, is an error of the protocol with one of these names. */
export const isProtocolError = (error: unknown, names: ReadonlySet<unknown>): boolean => {
  for (let each = error; Error.isError(each); each = each.cause)
    if (names.has(Reflect.get(each, "type"))) return true;
  return false;
};
