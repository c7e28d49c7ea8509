import { part } from '../../../errors/part.tsx';
import { Waiting } from '../../../ui/waiting.tsx';

export const AnalyticsPane = part(() => import('./analytics.tsx'), { waiting: <Waiting>{null}</Waiting> });
