"""Texts as names are compared: no case, no accents, one kind of quotation mark, one form of a Chinese character; offsets stay."""

from __future__ import annotations

import re
from typing import Final
from unicodedata import combining, normalize

__all__ = ["CJK", "folded", "is_cjk"]

CJK: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CJK = re.compile(f"[{CJK}]")
_MARKS = {"’": "'", "‘": "'", "ʼ": "'", "`": "'", "‐": "-", "‑": "-", "–": "-", "—": "-", "\u3000": " ", "\n": " ", "\t": " "}
_FORMS = """
寧宁甯 後后 裡里裏 於于 幾几 與与 榮荣 國国 紅红 樓楼 夢梦 賈贾 寶宝 鳳凤 劉刘 襲袭 鶯莺 環环 蓮莲 釵钗 園园 觀观 廟庙 蘆芦 饅馒
鐵铁 檻槛 門门 東东 書书 畫画 學学 師师 媽妈 爺爷 嬤嬷 婦妇 孫孙 張张 趙赵 錢钱 陳陈 楊杨 黃黄 吳吴 馮冯 鄭郑 許许 蔣蒋 龍龙
馬马 魚鱼 鳥鸟 風风 雲云 電电 車车 長长 開开 關关 間间 問问 聞闻 時时 會会 對对 從从 來来 個个 們们 為为爲 這这 說说説 話话 語语
讀读 誰谁 請请 議议 記记 證证 識识 訪访 設设 論论 謝谢 講讲 訊讯 歲岁 歸归 歷历 兒儿 兩两 萬万 號号 處处 臺台 舊旧 葉叶 節节
爾尔 爭争 愛爱 當当 發发 盡尽 監监 離离 禮礼 祿禄 種种 穩稳 窮穷 筆笔 紙纸 細细 終终 結结 給给 經经 綠绿 緣缘 縣县 總总 聖圣
聽听 職职 聲声 興兴 舉举 藝艺 蘭兰 蘇苏 衛卫 裝装 見见 親亲 覺觉 觸触 變变 讓让 貝贝 財财 貴贵 買买 賣卖 賢贤 質质 賽赛 贊赞
軍军 輕轻 轉转 辦办 農农 遠远 運运 過过 達达 遲迟 遺遗 郵邮 鄉乡 醫医 釋释 銀银 錄录 鎮镇 鏡镜 鐘钟锺 鑑鉴鑒 閣阁 閨闺 陽阳 陰阴
隊队 階阶 隨随 險险 隱隐 雜杂 雞鸡鷄 難难 靈灵 靜静 頂顶 順顺 頭头 題题 願愿 顯显 飛飞 飯饭 飲饮 館馆 驚惊 體体 鬧闹 鬥斗 麗丽
點点 齊齐 齋斋 龜龟 傳传 傷伤 價价 優优 償偿 儀仪 億亿 內内 冊册 劍剑 動动 務务 勝胜 勞劳 區区 協协 單单 嚴严 囑嘱 圍围 圖图
團团 壽寿 夠够 奪夺 奮奋 嬰婴 實实 宮宫 將将 尋寻 導导 屬属 島岛 帶带 帳帐 幫帮 幹干 廳厅 強强 彈弹 復复 態态 慶庆 憐怜 懷怀
戀恋 戰战 戲戏 戶户 拋抛 掃扫 揚扬 換换 損损 據据 擁拥 擇择 擊击 擔担 攝摄 敗败 敵敌 數数 斷断 晉晋 朧胧 條条 棗枣 業业 極极
槍枪 樂乐 標标 樣样 樹树 橋桥 機机 檢检 權权 歡欢 殘残 殯殡 毀毁 氣气 決决 沒没 況况 淚泪 淨净 湯汤 溝沟 滅灭 滿满 漢汉 潔洁
濟济 灣湾 災灾 烏乌 無无 煙烟 燈灯 燒烧 爐炉 牆墙 獄狱 獨独 獻献 現现 瑪玛 產产 異异 療疗 皺皱 盜盗 盤盘 眾众 碼码 磚砖 祕秘
禍祸 稱称 積积 競竞 簡简 糧粮 糾纠 純纯 紗纱 絕绝 絲丝 維维 綱纲 網网 緊紧 線线 練练 縱纵 織织 繡绣 罰罚 羅罗 義义 習习 腳脚
膽胆 臉脸 臨临 莊庄 華华 蓋盖 藥药 蟲虫 補补 襪袜 規规 視视 計计 訂订 託托 診诊 詞词 試试 詩诗 該该 誕诞 誠诚 調调 談谈 謀谋
護护 譯译 豐丰 負负 貧贫 貨货 貪贪 責责 費费 資资 賊贼 賓宾 賜赐 賞赏 賠赔 趕赶 跡迹 躍跃 載载 輩辈 輪轮 輸输 辭辞 邊边 還还
適适 選选 釘钉 針针 鈴铃 鋪铺 錯错 鍵键 鎖锁 閃闪 閉闭 閒闲 陣阵 際际 雙双 韓韩 頓顿 預预 頗颇 頸颈 額额 顏颜 顧顾 飄飘 駕驾
騎骑 騙骗 騰腾 驗验 驕骄 鮮鲜 鴛鸳 鴦鸯 鵑鹃 鶴鹤
"""
_VARIANTS: Final = {form: word[0] for word in _FORMS.split() for form in word[1:]}


class _Folds(dict[int, str]):
    """What each character is compared as, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = plain = _one(chr(code))
        return plain


_FOLDS: Final = _Folds()


def is_cjk(character: str) -> bool:
    """True for a Chinese character."""
    return _CJK.match(character) is not None


def folded(text: str) -> str:
    """The text to compare names in, character by character of the same length.

    >>> folded("Yü-ts’un of 宁國府")
    "yu-ts'un of 寧國府"
    """
    return text.translate(_FOLDS)


def _one(character: str) -> str:
    if character.isascii():
        return _MARKS.get(character, character.lower())
    if character in _VARIANTS:
        return _VARIANTS[character]
    if character in _MARKS:
        return _MARKS[character]
    plain = [part for part in normalize("NFKD", character) if not combining(part)]
    low = plain[0].lower() if len(plain) == 1 else character.lower()
    return low if len(low) == 1 else character
