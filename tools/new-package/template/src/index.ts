export { __Feature__Config, __feature__ } from "./__file__.ts";
export type { __Feature__ } from "./__file__.ts";
