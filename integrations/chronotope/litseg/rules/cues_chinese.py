"""Chinese cues: patterns for the first words of a paragraph, in traditional and simplified characters."""

from __future__ import annotations

from typing import Final

__all__ = ["CONCLUDING", "LEANING", "PLACE", "THREAD", "TIME"]


def _one_of(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_NTH = "[次翌明前昨後后第一二兩两三四五六七八九十百數数幾几半多本每]+"
_SPAN = _one_of("日 天 夜 晚 早 朝 月 年 載 载 更 時辰 时辰 晨")
_HOUR = _one_of(
    "清晨 清早 早起 黎明 天明 天亮 正午 午後 午后 午間 午间 傍晚 黃昏 黄昏 掌燈 掌灯 晚飯 晚饭 飯後 饭后 半夜 夜裡 夜里 深夜"
    " 三更 入夜"
)
_ARRIVED = _one_of("來至 来至 來到 来到 到了 走到 走至 行至 進了 进了 進入 进入 出了 回至 回到")
TIME: Final = (
    rf"(?:到了?|至|等到|及至|又?[過过]了?|不到)?[這这那此是當当]?{_NTH}[個个]?多?{_SPAN}",
    r"[這这那是當当此本連连早晚][日天夜晚間间年月時时]",
    _HOUR,
    r"[^，。．！？]{0,6}[年月][^，。．！？]{0,4}[日間间初末]",
    _one_of("後來 后来 不久 少時 少时 一時 一时 頃刻 顷刻 轉眼 转眼 光陰 光阴 自此 從此 从此 如今 春 夏 秋 冬"),
)
PLACE: Final = (
    rf"[^，。．！？「“:：]{{1,10}}(?:{_ARRIVED}|往[^，。]{{1,6}}[去來来])",
    r"[進进出到至離离][^，。．！？]{0,4}[門门府城園园房屋村山寺廟庙院船京]",
)
THREAD: Final = (
    _one_of("話說 话说 卻說 却说 且說 且说 再說 再说 單說 单说 單表 单表 話分兩頭 话分两头 不題 不提 原來 原来 如今且 閒言 闲言"),
)
LEANING: Final = (
    r"[他她它其這这那此又也便就方遂]",
    _one_of("於是 于是 因此 所以 但 而且 況且 况且"),
)
CONCLUDING: Final = _one_of("不在話下 不在话下 不題 不提 不表 無話 无话 下回分解 按下")
