import type { Ref } from 'react';

interface FileInputProps {
  ref?: Ref<HTMLInputElement>;
  id?: string;
  label: string;
  onFiles: (files: readonly File[]) => void;
}

/** The system's choice of files, opened by a button beside it. */
export const FileInput = ({ ref, id, label, onFiles }: FileInputProps) => (
  <input
    ref={ref}
    id={id}
    type="file"
    multiple
    hidden
    aria-label={label}
    onChange={(event) => {
      const files = [...(event.currentTarget.files ?? [])];
      // Else choosing the same file again would be no change.
      event.currentTarget.value = '';
      onFiles(files);
    }}
  />
);
