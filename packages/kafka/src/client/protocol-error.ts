/** Whether an error of kafkajs, or one of its causes, is a protocol error with one of the names. */
export const isProtocolError = (error: unknown, names: ReadonlySet<unknown>): boolean => {
  for (let each = error; Error.isError(each); each = each.cause)
    if (names.has(Reflect.get(each, "type"))) return true;
  return false;
};
