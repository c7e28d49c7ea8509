import { dialogPart, useDialogPart } from '../../../errors/part-dialog.tsx';

const ReplaceDialog = dialogPart(async () => ({ default: (await import('./replace-dialog.tsx')).ReplaceDialog }));

export const useReplace = () => useDialogPart((props) => <ReplaceDialog {...props} />);
