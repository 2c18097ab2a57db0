const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not access it',
  EPERM: 'this user may not access it',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EFBIG: 'it would be larger than this process may make a file',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  NOT_A_FILE: 'it is a pipe or a device, not a file',
  ENXIO: 'it is a socket, not a file',
  ENOTDIR: 'a part of the path is not a folder',
};

/** Why a file cannot be used, in words; otherwise the system's error code. */
export function fileErrorReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return reasons[code] ?? code;
}

/** Of reading or writing a file. The error of an open file names no path. */
export function isFileError(
  error: unknown,
): error is Error & { readonly code: string; readonly path?: string } {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  return error.code in reasons || ('path' in error && typeof error.path === 'string');
}
