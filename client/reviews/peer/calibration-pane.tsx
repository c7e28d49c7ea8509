import Calibration from '../calibration/calibration.tsx';
import { useOpened } from './opened.ts';

/** Completed assessments beside the reference of the review. */
export default function CalibrationPane() {
  const { review } = useOpened();
  return <Calibration review={review} />;
}
