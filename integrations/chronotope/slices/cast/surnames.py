"""Chinese names taken apart: a surname that is known, and the given name behind it."""

from __future__ import annotations

from typing import Final

__all__ = ["chinese_words"]

_ONE_SIGN: Final = frozenset(
    "趙赵錢钱孫孙李周吳吴鄭郑王馮冯陳陈褚衛卫蔣蒋沈韓韩楊杨朱秦尤許许何呂吕施張张孔曹嚴严華华金魏陶姜戚謝谢鄒邹喻柏水竇窦章雲云蘇苏潘葛"
    "范彭郎魯鲁韋韦馬马苗鳳凤花方俞任袁柳史唐費费薛雷賀贺倪湯汤羅罗畢毕郝安常樂乐于傅齊齐康伍余顧顾孟平黃黄穆蕭萧尹姚邵汪毛戴"
    "宋龐庞熊紀纪舒屈項项祝董梁杜阮藍蓝季賈贾江郭梅林刁鍾钟徐邱駱骆高夏蔡田樊胡凌霍虞萬万柯盧卢莫丁鄧邓洪包左石崔龔龚程邢裴陸陆"
    "荀羊甄曲封段侯武劉刘景詹龍龙葉叶司黎白蒲焦巴牧車车鄂譚谭溫温莊庄晏柴瞿閻阎習习文關关荊荆聶聂曾沙"
)
_LONG = """
歐陽 欧阳 司馬 司马 諸葛 诸葛 上官 夏侯 皇甫 尉遲 尉迟 公孫 公孙 慕容 令狐 宇文 長孫 长孙 司徒 東方 东方
"""
_TITLES = """
夫人 太太 奶奶 姑娘 小姐 先生 老爺 老爷 公子 少爺 少爷 姨媽 姨妈 姥姥 嬤嬤 嬷嬷 媽媽 妈妈
大人 將軍 将军 丞相 皇后 娘娘 師傅 师傅 道人 和尚 家的
"""
_TWO_SIGNS: Final = frozenset(_LONG.split())
_NO_GIVEN: Final = frozenset(_TITLES.split())


def chinese_words(name: str) -> tuple[str, ...]:
    """Surname and given name, where a surname is followed by two characters that are no title.

    >>> chinese_words("歐陽少恭"), chinese_words("王夫人")
    (('歐陽', '少恭'), ('王夫人',))
    """
    for size, known in ((2, _TWO_SIGNS), (1, _ONE_SIGN)):
        surname, rest = name[:size], name[size:]
        if surname in known and len(rest) == 2 and rest not in _NO_GIVEN:
            return surname, rest
    return (name,)
