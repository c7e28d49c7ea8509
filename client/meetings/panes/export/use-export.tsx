import { dialogPart, useDialogPart } from '../../../errors/part-dialog.tsx';

const ExportDialog = dialogPart(async () => ({ default: (await import('./export-dialog.tsx')).ExportDialog }));

export const useExport = () => useDialogPart((props) => <ExportDialog {...props} />);
