import { atom, useAtom } from 'jotai';

import { startingModel, type AssistantView } from '#shared/ai/views.ts';

import { useMeeting } from '../meetings/open/meeting-context.ts';

/** The model that the person chose last, and the recording they chose it for. */
const chosenAtom = atom<{ model: string; of: string } | null>(null);

interface Offered {
  models: readonly AssistantView[];
  /** The one to begin with. */
  model: string | null;
}

/** The model that is asked about the open recording: the one that the person chose here, else the one to begin with. */
export function useChosenModel({ models, model }: Offered): [AssistantView | null, (id: string) => void] {
  const { id: of } = useMeeting().about;
  const [chosen, setChosen] = useAtom(chosenAtom);
  const found = startingModel(models, chosen?.of === of ? chosen.model : null, model);
  return [found ?? null, (id) => setChosen({ model: id, of })];
}
