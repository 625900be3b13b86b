import type { KernelBase } from "../base/kernel-base.ts";

/** Members of the kernel, each from the folder of its part. */
export interface KernelMembers {}

/** Creates the parts of a kernel. */
export const kernelMembers = (_base: KernelBase): KernelMembers => ({});
