/** Category of a stream: its name up to the first dash, `loan` for `loan-42`; the whole name if it has no dash, or begins with one. */
export const categoryOf = (stream: string): string => {
  const dash = stream.indexOf("-");
  return dash <= 0 ? stream : stream.slice(0, dash);
};
